import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Page, showPage } from '#platform/http/page.ts'
import { AppError } from '#vocabulary/errors.ts'
import type { AccountOptions } from '../options.ts'
import { resetPassword } from './change-password.ts'
import { confirm } from './confirm-address.ts'

/**
 * The pages that links in our mails lead to when the shop front has none of its own. They work without JavaScript.
 * Opening a link changes nothing, because mail scanners follow links; the button does.
 */
export const pageRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (
  app,
  { control, tokens, box, attempts },
) => {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 10_000 },
    (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(body as string)))
    },
  )
  const config = { access: 'public', business: 'none' } as const
  const fieldOf = (fields: unknown, name: string) => {
    const value = (fields as Record<string, unknown> | undefined)?.[name]
    return typeof value === 'string' ? value.slice(0, 2_000) : ''
  }

  const confirmPage = (token: string): Page => ({
    title: 'Confirm your email address',
    text: 'One press, and your account is ready.',
    action: '/confirm',
    token,
    label: 'Confirm my address',
  })
  app.get('/confirm', { config }, ({ query }, reply) => showPage(reply, confirmPage(fieldOf(query, 'token'))))
  app.post('/confirm', { config }, async ({ body }, reply) => {
    try {
      await confirm(control, tokens, fieldOf(body, 'token'))
      return showPage(reply, { title: 'Your address is confirmed', text: 'You can close this page and log in.' })
    } catch (error) {
      return showPage(reply, { title: 'This did not work', problem: explain(error) }, statusOf(error))
    }
  })

  app.get('/invitation', { config }, ({ query }, reply) =>
    showPage(reply, {
      title: 'You are invited',
      text: 'Log in (or register) with the address that this invitation was sent to, in the application that your team uses. If it asks for a code, it is this one:',
      code: fieldOf(query, 'token'),
    }),
  )

  app.get('/claim', { config }, ({ query }, reply) =>
    showPage(reply, {
      title: 'Keep the order in your account',
      text: 'Log in (or register) with the address that this mail was sent to, in the application where you have your account. If it asks for a code, it is this one:',
      code: fieldOf(query, 'token'),
    }),
  )

  const resetPage = (token: string): Page => ({
    title: 'Choose a new password',
    text: 'At least ten characters. A few unrelated words make a good one.',
    action: '/reset-password',
    token,
    label: 'Save the password',
    password: true,
  })
  app.get('/reset-password', { config }, ({ query }, reply) => showPage(reply, resetPage(fieldOf(query, 'token'))))
  app.post('/reset-password', { config }, async ({ body, ip }, reply) => {
    const token = fieldOf(body, 'token')
    try {
      await resetPassword({ control, box, attempts, address: ip }, { token, password: fieldOf(body, 'password') })
      return showPage(reply, {
        title: 'Your password is changed',
        text: 'All devices were logged out. You can log in with the new password.',
      })
    } catch (error) {
      const again =
        error instanceof AppError && error.details[0]?.field === 'password'
          ? resetPage(token)
          : { title: 'This did not work' }
      return showPage(reply, { ...again, problem: explain(error) }, statusOf(error))
    }
  })
}

const explain = (error: unknown): string => {
  if (error instanceof AppError) return error.message
  throw error
}
const statusOf = (error: unknown) => (error instanceof AppError ? error.status : 500)
