import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const SHOP = 'https://shop.example.com'
const OTHER = 'https://other.example.com'
const used = useWorld({
  env: {
    ALLOWED_ORIGINS: `${SHOP}/account,${OTHER}`,
    OIDC_ISSUER: 'http://127.0.0.1:9',
    OIDC_CLIENT_ID: 'kontor',
    OIDC_CLIENT_SECRET: 'secret-for-tests',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'hello@kontor.example',
  },
})

/** 502 is past the allow list: there is no identity provider. */
const ALLOWED = '502 PROVIDER_FAILED'
const REFUSED = '422 VALIDATION_FAILED redirectUrl INVALID_REDIRECT_URI'
const redirect = async (redirectUrl: string) => {
  const query = new URLSearchParams({ provider: 'OAUTH_IDP', originUrl: SHOP, redirectUrl })
  return refusal(await used.make.anonymous().get(`/v1/users/login/url?${query.toString()}`))
}
const reset = async (reserveDomain: string) =>
  refusal(await used.make.anonymous().post('/v1/users/forgot-password', { email: 'ada@example.com', reserveDomain }))

test('an allowed origin with a path allows what is below that path, and nothing beside it', async () => {
  for (const path of ['/account', '/account/', '/account/after?lang=de', '/account?x=1']) {
    assert.equal(await redirect(SHOP + path), ALLOWED, path)
  }
  for (const path of ['', '/', '/accounts', '/go?to=https://evil.example', '/Account', '/x/account']) {
    assert.equal(await redirect(SHOP + path), REFUSED, path)
  }
  assert.equal(await reset(`${SHOP}/account`), '200')
  assert.equal(await reset(`${SHOP}/account/de/`), '200')
  assert.equal(await reset(SHOP), '422 VALIDATION_FAILED reserveDomain INVALID_ORIGIN_URI')
})

test('an allowed origin without a path allows all of it', async () => {
  for (const path of ['', '/', '/anywhere/at/all?x=1']) assert.equal(await redirect(OTHER + path), ALLOWED, path)
  assert.equal(await reset(`${OTHER}/anywhere`), '200')
})

test('no way round in the path of an address is taken', async () => {
  const detours = [
    '/account/../go',
    '/account/%2e%2e/go',
    '/account/.%2E/go',
    '/account/..%2fgo',
    '/account%2f..%2fgo',
    '/account/./x',
    '/account/%5c..%5cgo',
    '/account\\..\\go',
  ]
  for (const path of detours) {
    assert.equal(await redirect(SHOP + path), REFUSED, path)
    assert.equal(await redirect(OTHER + path), REFUSED, path)
    assert.equal(await reset(OTHER + path), '422 VALIDATION_FAILED reserveDomain INVALID_ORIGIN_URI', path)
  }
})
