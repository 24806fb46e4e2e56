import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAddress, type Rules, rulesFor } from './check-address.ts'

/** Hosts as people may write them, with the only settings under which they are allowed. */
const HOSTS: Record<'always' | 'loopback' | 'private', string> = {
  always:
    '1.1.1.1 8.8.8.8. 0x08.8.8.8 134744072 [2606:4700:4700::1111] shop.example SHOP.example. db.internal localhost.example',
  loopback:
    'localhost LOCALHOST localhost. localhost.. shop.localhost SHOP.LOCALHOST. %6cocalhost loc\u00adalhost ｌｏｃａｌｈｏｓｔ ' +
    '127.0.0.1 127.1 127.0.0.1. 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 １２７.０.０.１ 127。0。0。1 [::1] [0::1]',
  private:
    'printer.local PRINTER.LOCAL. home.arpa router.home.arpa 0 0.0.0.0 0x0 [::] [::ffff:127.0.0.1] [::ffff:7f00:1] ' +
    '[::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] 10.0.0.1 10.1 167772161 172.16.0.1 192.168.1 169.254.169.254 0xa9fea9fe ' +
    '100.64.0.1 [fd00::1] [fe80::1] 255.255.255.255 224.0.0.1',
}

const SETTINGS = {
  always: rulesFor({ allowLoopback: false }),
  loopback: rulesFor({ allowLoopback: true }),
  private: rulesFor({ allowLoopback: false, allowPrivate: true }),
}
const ALLOWED = { always: ['always', 'loopback', 'private'], loopback: ['loopback', 'private'], private: ['private'] }

test('address check › judges every spelling of a host', async () => {
  for (const [needs, hosts] of Object.entries(HOSTS))
    for (const host of hosts.split(' '))
      for (const [name, rules] of Object.entries(SETTINGS)) {
        const resolve: Rules['resolve'] = async (asked) => [
          { address: /localhost\.*$/.test(asked) ? '127.0.0.1' : '1.1.1.1', family: 4 },
        ]
        const outcome = await checkAddress(`https://${host}/`, { ...rules, resolve }).then(
          () => 'allowed',
          (error: { problem: string }) => error.problem,
        )
        const isAllowed = ALLOWED[needs as keyof typeof ALLOWED].includes(name)
        assert.equal(outcome, isAllowed ? 'allowed' : 'ADDRESS_NOT_ALLOWED', `${host} where ${name} is allowed`)
      }
})

test('address check › asks no name server about names of this machine', async () => {
  const resolve: Rules['resolve'] = async (host) => assert.fail(`asked for ${host}`)
  for (const host of ['localhost', 'shop.localhost.', 'printer.local', 'router.home.arpa'])
    await assert.rejects(checkAddress(`https://${host}/`, { ...SETTINGS.always, resolve }), {
      problem: 'ADDRESS_NOT_ALLOWED',
    })
})
