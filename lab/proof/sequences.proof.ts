import { runSequences } from '../../test/scenarios/sequences.ts'
import { startWorld } from '../../test/support/world.ts'
import type { Run } from '../report/figures.ts'

export const title = 'Can anything be used after its end, or from another business?'

const SEED = 20_262

/** Records of every kind are made, used, ended and used again, in two businesses with the same data that try each other's. */
export async function run({ quick, note }: Run) {
  const seed = Number(process.env.SEED ?? SEED)
  const count = Number(process.env.SEQUENCES ?? (quick ? 300 : 5_000))
  note(`seed ${seed}`)
  const service = await startWorld({
    providers: ['stripe'],
    env: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'hello@kontor.example' },
  })
  try {
    const { findings, counts, requests } = await runSequences(service, { count, seed })
    for (const finding of findings.slice(0, 50)) note(finding)
    return {
      figures: [
        { name: 'sequences', value: count, unit: '', note: `seed ${seed}` },
        { name: 'requests', value: requests, unit: '' },
        { name: 'kinds of records', value: counts.size, unit: '' },
        { name: 'findings', value: findings.length, unit: '', goal: '0', ok: findings.length === 0 },
      ],
      tables: [
        {
          title: 'Sequences by kind of record',
          columns: ['record', 'sequences'],
          rows: [...counts]
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, number]) => [name, number.toLocaleString('en')]),
        },
      ],
    }
  } finally {
    await service.close()
  }
}
