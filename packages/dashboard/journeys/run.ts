// npm run journeys: people's journeys through the dashboard on the real service, counted, timed and looked at, in
// docs/dashboard/report.md. A missed bar is red. Words name some journeys only, and then nothing is written; --quick times each once.
import { styleText } from 'node:util'
import { launchBrowser } from '../../../test/support/browser.ts'
import { sweepDatabases } from '../../../test/support/database.ts'
import { importFile } from './import.journey.ts'
import type { Journey } from './journey.ts'
import { letter } from './letter.journey.ts'
import { countRequests, type Loads, measureLoads, type Opened } from './loads.ts'
import { createOperator } from './operator.journey.ts'
import { owner } from './owner.journey.ts'
import { pack } from './pack.journey.ts'
import type { Hands } from './person.ts'
import { product } from './product.journey.ts'
import { raisePrices } from './raise-prices.journey.ts'
import { refund } from './refund.journey.ts'
import { type Failed, judge, writeReport } from './report.ts'
import { sendLetter } from './send.journey.ts'
import { withService } from './service.ts'
import { openShop } from './shop.ts'
import { createPasskeySignIn, createPasswordSignIn } from './sign-in.journey.ts'
import { stock } from './stock.journey.ts'
import { type Tried, tryJourney } from './try.ts'
import { twoEditors } from './two-editors.journey.ts'
import { why } from './why.journey.ts'

const HANDS: Hands[] = ['mouse', 'keyboard']
const say = (text: string) => console.log(text)

const isQuick = process.argv.includes('--quick')
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word))

const began = new Date()
await sweepDatabases()
const outcome = await withService(async (service) => {
  say(`The service is at ${service.url}.`)
  const shop = await openShop(service)
  const browser = await launchBrowser({ handleSIGINT: false, handleSIGTERM: false })
  const tried: Tried[] = []
  const failed: Failed[] = []
  let loads: Loads | undefined
  let opened: Opened[] = []
  try {
    await shop.packAll()
    // Packing first: what the others buy would wait to be packed.
    const journeys: Journey[] = [
      pack,
      createPasskeySignIn(service),
      createPasswordSignIn(service),
      product,
      refund,
      raisePrices,
      importFile,
      why,
      stock,
      letter,
      sendLetter,
      twoEditors,
      createOperator(service),
      owner,
    ]
    for (const journey of journeys.filter(({ number, name }) => isWanted(`${number} ${name}`))) {
      for (const hands of HANDS) {
        try {
          tried.push(await tryJourney({ browser, service, shop, isQuick }, journey, hands))
          say(`${journey.number}, ${hands}: done after ${Math.round((Date.now() - began.getTime()) / 1_000)} s`)
        } catch (error) {
          failed.push({ journey, hands, message: (error as Error).message })
          say(styleText('red', `${journey.number}, ${hands}: ${(error as Error).stack}`))
        }
      }
    }
    if (isWanted('loads')) {
      loads = await measureLoads(browser, service, isQuick)
      opened = await countRequests(browser, service)
    }
  } finally {
    await browser.close()
  }
  return { tried, failed, loads, opened }
})

const result = { began, isQuick, seconds: (Date.now() - began.getTime()) / 1_000, ...outcome }
const judged = judge(result)
for (const { name, measured, bar, ok } of judged) {
  const line = `${name}: ${measured}${bar ? ` (bar: ${bar})` : ''}`
  say(ok === undefined ? line : styleText(ok ? 'green' : 'red', line))
}
if (words.length === 0) await writeReport(result)
const missed = judged.filter(({ ok }) => ok === false).length
say(`${Math.round(result.seconds)} s${missed > 0 ? styleText('red', `, ${missed} missed`) : ''}`)
process.exit(missed > 0 ? 1 : 0)
