import path from 'node:path'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { now, nowMs } from '#platform/clock.ts'
import { defineJob, type EnqueueOptions } from '#platform/jobs/define.ts'
import { messageIdOf } from '#platform/mail/mailer.ts'
import { createRenderer } from '#platform/mail/render.ts'
import type { Rule } from './rule.ts'

const render = createRenderer(path.join(import.meta.dirname, 'mails'))

const GATHER_MS = 10 * 60_000
const MAX_LINES = 50
const KEY = 'checks.mail-operator'

/** Whatever breaks within ten minutes is one mail, so that a mistake that is everywhere does not become a thousand. */
export const mailSoon = (): EnqueueOptions => ({
  key: KEY,
  runAt: new Date(nowMs() + GATHER_MS),
  keepsTime: true,
})

/** Tells the operator which rules are broken and were not told yet. */
export const mailOperator = (rules: readonly Rule[] = []) =>
  defineJob({
    name: KEY,
    on: 'cell',
    payload: Type.Object({}),
    async run(_payload, { db, services, log }) {
      const broken = await db
        .selectFrom('checks.broken')
        .select(['businessId', 'rule', 'count', 'since'])
        .where('mailedAt', 'is', null)
        .orderBy('since')
        .orderBy('businessId')
        .orderBy('rule')
        .execute()
      const [first] = broken
      if (!first) return
      log.error({ rules: broken.length, first }, 'rules of the books are broken')
      const to = services.operatorEmail
      if (to && services.mail) {
        const says = new Map(rules.map((rule) => [rule.name, rule.says]))
        const subject =
          broken.length === 1 ? 'A rule of the books is broken' : `${broken.length} rules of the books are broken`
        const mail = await render('rules-broken', subject, {
          broken: broken.slice(0, MAX_LINES).map((row) => ({ ...row, says: says.get(row.rule) ?? row.rule })),
          more: Math.max(0, broken.length - MAX_LINES),
        })
        const id = `${first.businessId}.${first.rule}.${first.since.getTime()}`
        await services.mail.send({ to, ...mail, messageId: messageIdOf('check-failed', id, services.publicUrl) })
      }
      await sql`
        update checks.broken set mailed_at = ${now()}
         where mailed_at is null
           and (business_id, rule) in (select * from unnest(${broken.map(({ businessId }) => businessId)}::text[],
                                                            ${broken.map(({ rule }) => rule)}::text[]))`.execute(db)
    },
  })
