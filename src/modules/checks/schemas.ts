import { type Static, Type } from 'typebox'
import { Nullable, OneOf, UnixSeconds } from '#vocabulary/schemas.ts'

const Rows = Type.Integer({ minimum: 0, examples: [120000] })

export const CheckedRule = Type.Object(
  {
    rule: Type.String({ description: 'The name of the rule.', examples: ['stock-ledger'] }),
    says: Type.String({ description: 'The same as a sentence.', examples: ['stock is the sum of its ledger'] }),
    holds: Nullable(
      Type.Boolean({
        description: 'null: not checked yet, by a new rule perhaps, or it could not be checked.',
        examples: [false],
      }),
    ),
    count: Type.Integer({ minimum: 0, description: 'How many rows break it.', examples: [1] }),
    examples: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }), {
      maxItems: 10,
      description: 'Some of these rows: ids such as `orderId` and `productId`, and the figures that differ.',
      examples: [[{ productId: 'prod_01jcq3v7k8f5t9x2m4n6p8r0sw', variantId: 'one', quantity: 8, ledger: 7 }]],
    }),
    since: Nullable(Type.Integer({ ...UnixSeconds, description: 'When it was first found broken.' })),
  },
  { title: 'CheckedRule' },
)
export type CheckedRule = Static<typeof CheckedRule>

const CheckRun = Type.Object(
  {
    status: OneOf(['WAITING', 'RUNNING'], { description: 'WAITING: another check of this cell goes first.' }),
    isNightly: Type.Boolean({ description: 'Whether the night began it, or a person.', examples: [false] }),
    startedAt: Nullable(UnixSeconds),
    rulesDone: Type.Integer({ minimum: 0, examples: [12] }),
    rulesTotal: Type.Integer({ minimum: 1, examples: [58] }),
    rowsLookedAt: Rows,
  },
  { title: 'CheckRun' },
)

export const Checks = Type.Object(
  {
    startedAt: Nullable(Type.Integer({ ...UnixSeconds, description: 'When the last check began that ended.' })),
    finishedAt: Nullable(UnixSeconds),
    items: Type.Array(CheckedRule),
    run: Nullable(CheckRun),
    canRunAt: Nullable(
      Type.Integer({ ...UnixSeconds, description: 'When a check can be asked for again; null: now.' }),
    ),
  },
  { title: 'Checks', 'x-response-description': 'The consistency checks and the result of their last run.' },
)
export type Checks = Static<typeof Checks>
