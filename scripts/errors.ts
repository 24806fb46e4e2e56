// Writes docs/errors.md from the source. `--check` only says whether the file is current.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DETAILS, ERRORS } from './error-meanings.ts'
import { findRefusals, type Refusal } from './find-refusals.ts'

const FILE = 'docs/errors.md'
const PLACES: [start: string, title: string][] = [
  ['src/platform', 'Every route'],
  ['src/vocabulary', 'Blocks, statuses, pages'],
  ['src/modules/access', 'Businesses, roles, invitations'],
  ['src/modules/accounts', 'Accounts'],
  ['src/modules/catalog', 'Products, stock, promo codes'],
  ['src/modules/checkout', 'Quote and checkout'],
  ['src/modules/orders', 'Orders'],
  ['src/modules/payments', 'Payments and refunds'],
  ['src/modules/content', 'Collections and entries'],
  ['src/modules/newsletter', 'Newsletters'],
  ['src/apps', 'Elsewhere'],
]

const { refusals, unresolved } = findRefusals(path.join(import.meta.dirname, '..'))
const problems = [
  ...unresolved.map((place) => `The code of this refusal cannot be told: ${place}`),
  ...compare('ERRORS', ERRORS, new Set(refusals.filter(({ status }) => status).map(({ code }) => code))),
  ...compare('DETAILS', DETAILS, new Set(refusals.flatMap(({ detail }) => detail ?? []))),
]
const text = render(refusals)

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else if (!process.argv.includes('--check')) {
  writeFileSync(FILE, text)
  console.log(`wrote ${FILE}: ${Object.keys(ERRORS).length} errors, ${Object.keys(DETAILS).length} details`)
} else if (readFileSync(FILE, 'utf8') !== text) {
  console.error(`${FILE} is not what the source says. Run: npm run errors`)
  process.exitCode = 1
}

function compare(name: string, meanings: Record<string, string>, found: ReadonlySet<string>): string[] {
  const missing = [...found].filter((code) => !meanings[code])
  const vain = Object.keys(meanings).filter((code) => !found.has(code))
  return [
    ...missing.map((code) => `${name} in scripts/error-meanings.ts does not say what ${code} means.`),
    ...vain.map((code) => `${name} in scripts/error-meanings.ts has ${code}, which no code answers any more.`),
  ]
}

function render(all: readonly Refusal[]): string {
  const errors = Object.keys(ERRORS).map((code) => {
    const statuses = distinct(all.filter((each) => each.code === code).flatMap(({ status }) => status ?? []))
    return `| ${statuses.join(', ')} | \`${code}\` | ${ERRORS[code]} |`
  })
  const details = Object.keys(DETAILS)
    .sort()
    .map((code) => {
      const statuses = distinct(all.filter(({ detail }) => detail === code).map(shownStatus))
      return `| \`${code}\` | ${statuses.join(', ')} | ${DETAILS[code]} |`
    })
  const chapters = PLACES.flatMap(([start, title]) => {
    const here = all.filter(({ file }) => file.startsWith(`${start}/`))
    if (here.length === 0) return []
    const rows = distinct(here.map(row)).sort()
    return [`### ${title}\n`, '| status | code | message | in |', '|---|---|---|---|', ...rows, '']
  })
  return `# Errors

This page is made from the source by \`npm run errors\`. The form of an error is in
[api-design.md](api-design.md#errors). Switch on \`error\` and \`details[].error\`; messages are for people, and may change.

## \`error\`

| status | \`error\` | meaning |
|---|---|---|
${errors.join('\n')}

Of status 408 (the request came too slowly) and 431 (its headers are too large), \`error\` is \`BAD_REQUEST\`.

## \`details[].error\`

*import* is a line of a file that is imported: it is listed under the errors of the import, and no request fails.

| code | status | meaning |
|---|---|---|
${details.join('\n')}

## Every refusal

What changes from case to case is in angle brackets. A login by email answers 400 where everything else
answers 422 for a body that does not fit.

${chapters.join('\n')}`
    .trimEnd()
    .concat('\n')
}

function row(refusal: Refusal): string {
  const { code, detail, message, file } = refusal
  const said = /^<\w+>$/.test(message) ? '*differs*' : message.replaceAll('|', '\\|').replaceAll('<', '\\<')
  return `| ${shownStatus(refusal)} | \`${detail ?? code}\` | ${said} | [${path.basename(file)}](../${file}) |`
}

function shownStatus({ status }: Refusal) {
  return status ?? 'import'
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)].sort((a, b) => (String(a) < String(b) ? -1 : 1))
}
