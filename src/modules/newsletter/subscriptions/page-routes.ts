import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { findCollection } from '#modules/content/index.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { cellOf } from '#platform/http/cells.ts'
import { type Page, showPage } from '#platform/http/page.ts'
import type { Business } from '#vocabulary/business.ts'
import { AppError } from '#vocabulary/errors.ts'
import { suspendedBusinessHidden } from '#vocabulary/refusals.ts'
import { tokenInvalid } from '../errors.ts'
import { lockSubscription } from './queries.ts'
import { confirmSubscription } from './subscribe.ts'
import { isPaidFor, type SubscriptionRow } from './subscription.ts'
import { type Purpose, readToken } from './token.ts'
import { findByToken, unsubscribe } from './unsubscribe.ts'

export type PageOptions = {
  findBusiness: (id: string) => Promise<Business | undefined> | Business | undefined
  cells: ReadonlyMap<string, Db>
  box: SecretBox
}

/**
 * The pages that links in newsletters lead to. They work without JavaScript and without a login. Opening a link changes
 * nothing, because mail scanners follow links; the button does, and so does a mail program's one-click unsubscribe (RFC
 * 8058), which posts to the same address.
 */
export const newsletterPages: FastifyPluginAsyncTypebox<PageOptions> = async (app, { findBusiness, cells, box }) => {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 10_000 },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
  // Some mail programs post the one-click form with other content types; only the URL counts.
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 10_000 }, (_request, _body, done) => done(null, {}))
  const config = { access: 'public', business: 'token' } as const

  async function find(request: FastifyRequest, token: string, purpose: Purpose) {
    const businessId = readToken(token)?.businessId
    const business = businessId === undefined ? undefined : await findBusiness(businessId)
    if (!business) throw tokenInvalid()
    request.enterBusiness(business)
    const cell = cellOf(cells, business, app.log)
    // Unsubscribing is allowed, subscribing is not.
    if (business.suspendedAt && purpose === 'confirm') throw suspendedBusinessHidden()
    const row = await findByToken(cell, box, business.id, token, purpose)
    const collection = await findCollection(cell, business.id, row.collectionId)
    return { business, cell, row, newsletter: collection?.name ?? business.name }
  }

  app.get('/newsletters/unsubscribe', { config }, async (request, reply) => {
    const { query } = request
    const token = fieldOf(query, 'token')
    return attempt(async () => leavePage(await find(request, token, 'leave'), token, sendOf(query)))(reply)
  })
  app.post('/newsletters/unsubscribe', { config }, async (request, reply) => {
    const { query, body } = request
    const token = fieldOf(body, 'token') || fieldOf(query, 'token')
    return attempt(async () => {
      const { business, cell, row, newsletter } = await find(request, token, 'leave')
      const everything = fieldOf(body, 'everything') !== ''
      await unsubscribe(cell, box, business.id, token, { everything, sendId: sendOf(query) })
      const what = everything ? `any newsletter of ${business.name}` : newsletter
      const money = isPaidFor(row) ? ' Your paid plan is not renewed.' : ''
      return { title: 'You are unsubscribed', text: `${row.email} gets no more mails from ${what}.${money}` }
    })(reply)
  })

  app.get('/newsletters/confirm', { config }, async (request, reply) => {
    const { query } = request
    const token = fieldOf(query, 'token')
    return attempt(async () => confirmPage(await find(request, token, 'confirm'), token))(reply)
  })
  app.post('/newsletters/confirm', { config }, async (request, reply) => {
    const { query, body } = request
    const token = fieldOf(body, 'token') || fieldOf(query, 'token')
    return attempt(async () => {
      const { business, cell, row, newsletter } = await find(request, token, 'confirm')
      const after = await transaction(cell, async (tx) => {
        const locked = await lockSubscription(tx, business.id, row.id)
        return locked && confirmSubscription(tx, locked)
      })
      if (after?.status !== 'ACTIVE') {
        return {
          title: 'This link is used up',
          text: 'The subscription was cancelled. Subscribe again if you want to.',
        }
      }
      return { title: 'You are subscribed', text: `${row.email} gets ${newsletter} from now on.` }
    })(reply)
  })

  const ofNobody = { access: 'public', business: 'none' } as const
  app.get('/newsletters/result', { config: ofNobody }, ({ query }, reply) =>
    showPage(
      reply,
      fieldOf(query, 'outcome') === 'paid'
        ? { title: 'Thank you', text: 'Your payment was received. The next letter comes to you.' }
        : { title: 'Nothing was paid', text: 'You left the payment page. Subscribe again if you want to.' },
    ),
  )
}

type Found = { business: Business; row: SubscriptionRow; newsletter: string }

function leavePage({ business, row, newsletter }: Found, token: string, sendId: string | undefined): Page {
  if (row.status === 'CANCELLED') {
    return { title: 'You are unsubscribed', text: `${row.email} gets no mails from ${newsletter}.` }
  }
  const money = isPaidFor(row) ? ' Your paid plan will not be renewed; what is paid for is not paid back.' : ''
  return {
    title: `Leave ${newsletter}?`,
    text: `${row.email} will get no more mails from it.${money}`,
    action: `/newsletters/unsubscribe${sendId === undefined ? '' : `?send=${sendId}`}`,
    token,
    label: 'Unsubscribe',
    other: { name: 'everything', label: `Unsubscribe from everything of ${business.name}` },
  }
}

const confirmPage = ({ row, newsletter }: Found, token: string): Page =>
  row.status === 'PENDING'
    ? {
        title: `Subscribe to ${newsletter}?`,
        text: `One press, and it comes to ${row.email}.`,
        action: '/newsletters/confirm',
        token,
        label: 'Yes, subscribe me',
      }
    : {
        title: 'Nothing left to confirm',
        text: `${row.email} is ${row.status === 'CANCELLED' ? 'not ' : ''}subscribed.`,
      }

function fieldOf(fields: unknown, name: string): string {
  const value = (fields as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'string' ? value.slice(0, 2_000) : ''
}

/** The letter that the link stood in. */
const sendOf = (query: unknown) => /^[\w-]{1,64}$/.exec(fieldOf(query, 'send'))?.[0]

/** Shows errors as a page. */
const attempt =
  (work: () => Promise<Page>) =>
  async (reply: Parameters<typeof showPage>[0]): Promise<string> => {
    try {
      return await showPage(reply, await work())
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return showPage(reply, { title: 'This did not work', problem: error.message }, error.status)
    }
  }
