import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Db } from '#platform/database/database.ts'
import { createFetch } from '#platform/outgoing/fetch.ts'
import type { Business, Callout, CalloutPoint } from '#vocabulary/business.ts'
import { askService, type Came } from './ask-service.ts'
import { createBreaker } from './breaker.ts'
import { calloutFailed } from './errors.ts'
import type { Outgoing } from './options.ts'
import { findAnswers, type Kept, keepAnswers } from './queries.ts'
import type { Answers, CalloutRequest, Cart } from './schemas.ts'
import { createShares } from './shares.ts'

/** For whom services are asked. */
export type Asker = {
  cell: Db
  business: Business
  requestId: string
  /** When all of it has to be over. */
  deadline: AbortSignal
  /** Waits for others without taking up a place of those who are served. */
  whileOutside: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** By point; null: it failed, and the business's own settings count. A point that is not enabled is not there. */
export type Told = { [Point in CalloutPoint]?: Answers[Point] | null }

type Question = { point: CalloutPoint; callout: Callout; cart: Cart; inputHash: Buffer }

type Means = {
  outgoing: Outgoing
  box: SecretBox
  log: Logger
  meter: {
    /** `left_alone`: it was not asked, because it keeps failing or too many are being asked. */
    asked: (point: string, outcome: 'answered' | 'failed' | 'left_alone', seconds: number) => void
    unanswered: (point: string, became: 'fallback' | 'refused') => void
    watch: (openBreakers: () => number) => void
  }
}

export type AskServices = ReturnType<typeof createAskServices>

/** Asks the services of businesses, each once, and keeps what they said. Nothing of it may be called in a transaction. */
export function createAskServices({ outgoing, box, log, meter }: Means) {
  const means = { fetch: createFetch(outgoing.rules), box }
  const breaker = createBreaker()
  const enter = createShares()
  meter.watch(breaker.countOpen)

  async function ask({ business, requestId, deadline }: Asker, { point, callout, cart }: Question): Promise<unknown> {
    const request = { point, businessId: business.id, requestId, ...cart }
    const since = performance.now()
    const { answer, problems, wasAsked } = await askInTurn(business.id, callout, request, deadline)
    const outcome = problems.length === 0 ? 'answered' : wasAsked ? 'failed' : 'left_alone'
    meter.asked(point, outcome, (performance.now() - since) / 1_000)
    if (problems.length === 0) return answer
    meter.unanswered(point, callout.onFailure === 'FALLBACK' ? 'fallback' : 'refused')
    const host = URL.parse(callout.url)?.host
    log.warn({ businessId: business.id, point, host, requestId, problems: problems.slice(0, 3) }, 'a callout failed')
    if (callout.onFailure === 'FALLBACK') return null
    throw calloutFailed({ point })
  }

  async function askInTurn(
    businessId: string,
    callout: Callout,
    request: CalloutRequest,
    deadline: AbortSignal,
  ): Promise<Pick<Came, 'answer' | 'problems'> & { wasAsked: boolean }> {
    const key = `${businessId} ${callout.url}`
    if (breaker.isOpen(key)) return notAsked('It has failed again and again, and is left alone for a moment.')
    const leave = await enter(businessId, deadline)
    if (!leave) return notAsked('Too many are being asked already.')
    try {
      const came = await askService(means, callout, request, deadline)
      if (came.isAway) breaker.failed(key)
      else if (came.status !== null) breaker.succeeded(key)
      return { ...came, wasAsked: true }
    } finally {
      leave()
    }
  }

  return {
    /** For a test call: past breaker and places, which it must not change. */
    askOnce: (callout: Callout, request: CalloutRequest) => askService(means, callout, request),

    /** What the services for these points say about a cart, kept or new. Throws 503 when one fails and must not. */
    async ask(asker: Asker, points: readonly CalloutPoint[], cart: Cart): Promise<Told> {
      const { cell, business } = asker
      const questions = points.flatMap((point) => toQuestion(business, point, cart))
      if (questions.length === 0) return {}
      const hashes = questions.map(({ inputHash }) => inputHash)
      const known = await findAnswers(cell, business.id, hashes)
      const unknown = questions.filter(({ inputHash }) => !known.some((kept) => kept.inputHash.equals(inputHash)))
      if (unknown.length === 0) return toldOf(questions, known)
      const answers = await asker.whileOutside(() =>
        Promise.all(unknown.map(async (question) => ({ ...question, answer: await ask(asker, question) }))),
      )
      const [kept, refused] = [answers.filter(isWorthKeeping), answers.filter((told) => !isWorthKeeping(told))]
      const agreed = kept.length > 0 ? await keepAnswers(cell, business.id, kept) : []
      return toldOf(questions, [...known, ...agreed, ...refused])
    },
  }
}

const notAsked = (message: string) => ({ answer: undefined, problems: [{ field: '', message }], wasAsked: false })

/** A cart that was refused is asked about again: what was wrong may be put right outside of it. */
const isWorthKeeping = ({ point, answer }: { point: CalloutPoint; answer: unknown }) =>
  point !== 'cart.validate' || (answer as Answers['cart.validate'] | null)?.isValid !== false

/** The setting is hashed as well: after any change of it, or once it was removed and set again, everything is asked anew. */
function toQuestion(business: Business, point: CalloutPoint, cart: Cart): Question[] {
  const callout = business.callouts?.[point]
  if (!callout?.isEnabled) return []
  const inputHash = createHash('sha256')
    .update(JSON.stringify([point, callout.url, callout.onFailure, callout.updatedAt, cart]))
    .digest()
  return [{ point, callout, cart, inputHash }]
}

const toldOf = (questions: readonly Question[], answers: readonly Kept[]): Told =>
  Object.fromEntries(
    questions.map(({ point, inputHash }) => {
      const told = answers.find((kept) => kept.inputHash.equals(inputHash))
      if (!told) throw new Error(`Nothing is known of ${point}`) // never taken for a fallback
      return [point, told.answer]
    }),
  )
