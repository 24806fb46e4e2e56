import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopbackAddress, isLoopbackName, isPublicAddress, isPublicName } from './public-address.ts'

const PUBLIC = ['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '192.167.255.255']
const PUBLIC_V6 = ['2606:4700:4700::1111', '2a00:1450:4001:82f::200e', '2001:4860:4860::8888', '2003::1']
const NOT_PUBLIC = [
  '0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254',
  '169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1',
  '198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255',
  ':: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b::8.8.8.8',
  '64:ff9b:1::a00:1 100::1 2001::1 2001:0:7f00:1:: 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:808:808::1',
  '3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%lo febf::1 fec0::1 ff02::1 ff0e::1 4000::1 e000::1',
]
  .join(' ')
  .split(' ')

test('addresses that networks give out are public', () => {
  for (const address of [...PUBLIC, ...PUBLIC_V6]) assert.ok(isPublicAddress(address), address)
})

test('nothing else is, in none of the forms that hold an IPv4 address', () => {
  for (const address of NOT_PUBLIC) assert.ok(!isPublicAddress(address), address)
  for (const text of ['', 'localhost', '127.1', '0x7f000001', '2130706433', '8.8.8.8.', '[::1]']) {
    assert.ok(!isPublicAddress(text), text)
  }
})

test('loopback is the same machine, and no other', () => {
  for (const address of ['127.0.0.1', '127.8.8.8', '::1']) assert.ok(isLoopbackAddress(address), address)
  for (const address of ['0.0.0.0', '10.0.0.1', '::', '::ffff:127.0.0.1', 'localhost']) {
    assert.ok(!isLoopbackAddress(address), address)
  }
})

test('host names of this machine and its network are not public', () => {
  const here = ['localhost', 'LOCALHOST', 'LocalHost', 'localhost.', 'localhost..', 'shop.localhost', 'A.B.localhost.']
  const near = ['local', 'printer.local', 'Printer.LOCAL.', 'home.arpa', 'router.home.arpa.']
  for (const host of [...here, ...near]) assert.ok(!isPublicName(host), host)
  for (const host of here) assert.ok(isLoopbackName(host), host)
  for (const host of near) assert.ok(!isLoopbackName(host), host)
  // No RFC reserves `internal`, or a name that only resembles one of these. What they resolve to decides.
  const others = [
    'shop.example',
    'localhost.example',
    'notlocalhost',
    'local.example',
    'arpa',
    'db.internal',
    'mylocal',
  ]
  for (const host of others) assert.ok(isPublicName(host) && !isLoopbackName(host), host)
})
