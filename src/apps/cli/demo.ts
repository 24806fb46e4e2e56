import type { Command } from 'commander'
import { Check } from 'typebox/value'
import { Slug } from '#vocabulary/schemas.ts'
import { DEMO_OWNER } from '../demo/demo.ts'
import { type Made, makeDemo, type Part } from '../demo/make-demo.ts'
import { showProgress } from '../progress.ts'
import { addCommand, type Cli, type Json, UsageError } from './command.ts'
import { printJson } from './output.ts'

type Options = Json & { owner?: string; slug: string }

export function addDemoCommand(program: Command, { config, withDatabases }: Cli): void {
  addCommand(program, 'demo', {
    says: 'Create a demo business: products, orders of 90 days, a journal, a newsletter. A second run adds what is missing. No mail is sent.',
    examples: ['demo', 'demo --owner ada@example.com', 'demo --slug harbour-goods-2 --json'],
  })
    .option(
      '--owner <email>',
      `the account that becomes its ADMIN; without it ${DEMO_OWNER}, to which nobody can log in`,
    )
    .option('--slug <slug>', 'its slug', 'harbour-goods')
    .action(({ owner, slug, json }: Options) => {
      if (!isSlug(slug)) throw new UsageError(`${slug} is not a slug: lower-case words joined by hyphens.`)
      return withDatabases(async (databases) => {
        const { publicUrl, demoImages } = config()
        const bars = showParts()
        const made = await makeDemo({ databases, publicUrl, ownerEmail: owner, slug }, bars.update).finally(bars.end)
        if (json) printJson(summaryOf(made))
        else printMade(made, owner ?? DEMO_OWNER)
        if (!demoImages) console.error('Its pictures are missing: set DEMO_IMAGES=on for the API.')
      })
    })
}

const isSlug = (text: string): boolean => Check(Slug, text)

/** The unit of a progress bar, where it is not the part itself: an order is placed, paid, sent, … */
const UNITS: Partial<Record<Part, string>> = { orders: 'steps of orders' }

/** A progress bar for each part, one below the other. */
function showParts() {
  let current: { part: Part; bar: ReturnType<typeof showProgress>; done: number; total: number } | undefined
  const end = () => current?.bar.end(current.done, current.total)
  return {
    update(part: Part, done: number, total: number) {
      if (current?.part !== part) {
        end()
        current = { part, bar: showProgress('demo', UNITS[part] ?? part), done, total }
      }
      Object.assign(current, { done, total })
      if (done < total) current.bar.update(done, total) // the end shows the last figure
    },
    end,
  }
}

const summaryOf = ({ businessId, slug, made, counts }: Made) => ({ businessId, slug, ...counts, made })

function printMade({ businessId, slug, made, counts }: Made, owner: string): void {
  for (const [part, count] of Object.entries(counts)) {
    const added = made[part as Part]
    console.log(
      `${part.padEnd(11)} ${String(count).padStart(4)}  ${added === 0 ? 'is there already' : `${added} made`}`,
    )
  }
  console.log(`\n${businessId}  Harbour Goods  (slug ${slug}, owner ${owner})`)
}
