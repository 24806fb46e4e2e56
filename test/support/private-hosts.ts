/** Every way to write an address that nobody outside may reach. */
export const PRIVATE_HOSTS: readonly string[] = [
  '127.0.0.1 127.1 127.0.1 127.0.0.1. 127.0.0.3 127.255.255.254 2130706433 0x7f000001 0x7F.1 0x7f.0.0.1 0x7f.0x0.0x0.0x1',
  '017700000001 0177.0.0.1 0177.1 0177.0x0.0.1 00000177.1 0.0.0.0 0 0x0 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 %31%32%37.0.0.1',
  '[::1] [0:0:0:0:0:0:0:1] [0000::0001] [::] [::127.0.0.1] [::7f00:1] [::ffff:127.0.0.1] [::FFFF:7F00:1] [0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2002:7f00:0001::1]',
  '[2001:0:7f00:1::] [2001:db8::1] [fe80::1] [fc00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [100::1]',
  '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254 0xa9fea9fe 2852039166 100.64.0.1',
  '100.100.100.200 192.0.0.1 192.0.2.1 198.18.0.1 203.0.113.7 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255',
  'localhost LOCALHOST localhost. localhost.. shop.localhost SHOP.LocalHost. a.b.localhost %6cocalhost ｌｏｃａｌｈｏｓｔ',
  'local printer.local PRINTER.LOCAL. home.arpa router.home.arpa',
  'ip6-localhost.test private.test mixed.test metadata.test mapped.test',
].flatMap((line) => line.split(' '))

/** What a name server says of the names among them. `outside`: an address that may be reached. */
export const namesOf = (outside: string): Record<string, string[]> => ({
  'ip6-localhost.test': ['::1'],
  'private.test': ['10.0.0.1'],
  'mixed.test': [outside, '127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:127.0.0.1'],
})
