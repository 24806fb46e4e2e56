import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainOf, issuerOf, type ProviderForm, toBody, toForm, wrongWith } from './form.ts'

const KEPT: ProviderForm = {
  issuer: 'https://login.harbour.example',
  clientId: 'kontor',
  domains: ['harbour.example'],
  roleClaim: 'groups',
  roles: [{ value: 'editors', roleId: 'role_1' }],
  trustsSecondFactor: false,
}

test('an issuer is taken from the address of its configuration, and its slash at the end is kept', () => {
  assert.equal(issuerOf(' https://a.example/.well-known/openid-configuration'), 'https://a.example')
  assert.equal(issuerOf('login.harbour.example/realms/shop'), 'https://login.harbour.example/realms/shop')
  assert.equal(issuerOf('https://tenant.example/'), 'https://tenant.example/')
  assert.equal(issuerOf('  '), '')
})

test('a domain is found in what people paste, and nothing is made up', () => {
  assert.equal(domainOf('@Harbour.Example '), 'harbour.example')
  assert.equal(domainOf('ada@harbour.example'), 'harbour.example')
  assert.equal(domainOf('https://www.harbour.example/about'), 'www.harbour.example')
  for (const text of ['', 'harbour', '-a.example', 'a b.example', '127.0.0.1', 'ä.example'])
    assert.equal(domainOf(text), undefined, text)
})

test('only what was changed is sent; the first time all of it', () => {
  assert.deepEqual(toBody({ ...KEPT, trustsSecondFactor: true }, KEPT, '', false), { trustsSecondFactor: true })
  assert.deepEqual(toBody(KEPT, KEPT, ' new ', false), { clientSecret: 'new' })
  assert.deepEqual(toBody(KEPT, toForm(undefined), 's', true), { ...KEPT, clientSecret: 's' })
})

test('a new one says what is missing; another issuer or client wants the secret again', () => {
  const empty = toForm(undefined)
  assert.deepEqual(wrongWith(empty, empty, '', true).missing, ['issuer', 'clientId', 'clientSecret', 'domains'])
  assert.deepEqual(wrongWith(KEPT, KEPT, '', false), {
    missing: [],
    isNoAddress: false,
    wantsSecret: false,
    repeated: [],
  })
  assert.ok(wrongWith({ ...KEPT, clientId: 'other' }, KEPT, '', false).wantsSecret)
  assert.ok(!wrongWith({ ...KEPT, issuer: 'https://b.example' }, KEPT, 's', false).wantsSecret)
})

test('lines that say the same, and addresses that are none, are found', () => {
  const twice = [...KEPT.roles, { value: 'editors ', roleId: 'role_1' }, { value: 'editors', roleId: 'role_2' }]
  assert.deepEqual(wrongWith({ ...KEPT, roles: twice }, KEPT, '', false).repeated, [1])
  assert.deepEqual(wrongWith({ ...KEPT, roles: [{ value: 'a', roleId: '' }] }, KEPT, '', false).missing, ['roles'])
  assert.ok(wrongWith({ ...KEPT, issuer: 'https://a.example/?x=1' }, KEPT, 's', false).isNoAddress)
})
