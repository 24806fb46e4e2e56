import { cleanHtml } from '#vocabulary/html.ts'
import { hostileTexts, RUNNING, type Sighting, showTexts } from '../../test/scenarios/xss.ts'
import { launchBrowser } from '../../test/support/browser.ts'
import type { Run } from '../report/figures.ts'

export const title = 'Does rich text run anything in a browser once it is cleaned?'

const SEED = 20_260

/** The same texts twice: cleaned, when nothing at all may be seen of them, and as they are, so that silence means something. */
export async function run({ quick, note }: Run) {
  const texts = hostileTexts(quick ? 200 : 2_000, SEED)
  const timed = texts.map((text) => {
    const start = performance.now()
    const clean = cleanHtml(text)
    return { text, clean, ms: performance.now() - start }
  })
  const slowest = timed.slice(1).reduce((one, other) => (other.ms > one.ms ? other : one)) // the first warms up
  note(`slowest: ${JSON.stringify(slowest.text.slice(0, 200))}, ${slowest.text.length} characters`)
  const unsettled = timed.filter(({ clean }) => cleanHtml(clean) !== clean)
  for (const { text } of unsettled) note(`cleaning again changes ${JSON.stringify(text)}`)

  const browser = await launchBrowser()
  try {
    const cleaned = await showTexts(
      browser,
      timed.map(({ clean }) => clean),
    )
    for (const sighting of cleaned) note(JSON.stringify({ ...sighting, text: texts[sighting.index] }))
    note(`cleaned: ${JSON.stringify(countWays(cleaned))}`)
    const raw = await showTexts(browser, texts, { isCaged: true })
    note(`uncleaned: ${JSON.stringify(countWays(raw))}`)
    const ran = countTexts(raw.filter(({ way }) => RUNNING.has(way)))
    const distinct = new Set(texts.map((text) => text.replaceAll(/\d/g, '0'))).size
    const none = { unit: '', goal: '0' }
    return {
      figures: [
        { name: 'texts', value: texts.length, unit: '' },
        { name: 'texts that differ in more than digits', value: distinct, unit: '' },
        { name: 'kept something when cleaned', value: timed.filter(({ clean }) => clean !== '').length, unit: '' },
        { name: 'ran uncleaned', value: ran, unit: '', goal: '> 10 %', ok: ran > texts.length / 10 },
        { name: 'did anything cleaned', value: countTexts(cleaned), ...none, ok: cleaned.length === 0 },
        { name: 'changed by cleaning again', value: unsettled.length, ...none, ok: unsettled.length === 0 },
        { name: 'slowest cleaning', value: slowest.ms, unit: 'ms', goal: '< 100 ms', ok: slowest.ms < 100 },
      ],
    }
  } finally {
    await browser.close()
  }
}

const countTexts = (seen: readonly Sighting[]) => new Set(seen.map(({ index }) => index)).size

const countWays = (seen: readonly Sighting[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(seen, ({ way }) => way)).map(([way, some]) => [way, countTexts(some)]),
  )
