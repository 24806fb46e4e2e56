// Writes docs/errors.md from the lists of refusals. `--check` only reports whether the file is up to date.
import path from 'node:path'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import { DETAILS, ERRORS } from '#vocabulary/error-codes.ts'
import { REFUSALS } from '../src/apps/refusals.ts'
import { generate } from './generated.ts'

const FILE = 'docs/errors.md'

const refusals = REFUSALS.flatMap(({ lists }) => Object.values(lists).flat())
const problems = [
  ...unused(ERRORS, new Set(refusals.flatMap(({ code }) => code ?? []))),
  ...unused(DETAILS, new Set(refusals.flatMap(({ detail }) => detail ?? []))),
]
const text = render(refusals)

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  generate(FILE, text, 'npm run errors')
}

function unused(meanings: object, found: ReadonlySet<string>): string[] {
  const codes = Object.keys(meanings).filter((code) => !found.has(code))
  return codes.map((code) => `src/vocabulary/error-codes.ts has ${code}, which no code answers any more.`)
}

function render(all: readonly AnyRefusal[]): string {
  const errors = Object.entries(ERRORS).map(([code, meaning]) => {
    const statuses = distinct(all.filter((each) => each.code === code).flatMap(({ status }) => status ?? []))
    return `| ${statuses.join(', ')} | \`${code}\` | ${meaning} |`
  })
  const details = Object.entries(DETAILS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, meaning]) => {
      const statuses = distinct(all.filter(({ detail }) => detail === code).map(shownStatus))
      return `| \`${code}\` | ${statuses.join(', ')} | ${meaning} |`
    })
  const chapters = REFUSALS.flatMap(({ title, lists }) => {
    const rows = Object.entries(lists).flatMap(([file, list]) => list.map((refusal) => row(refusal, file)))
    return [`### ${title}\n`, '| status | code | message | in |', '|---|---|---|---|', ...distinct(rows), '']
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

function row(refusal: AnyRefusal, file: string): string {
  const { code, detail, message } = refusal
  const isComposed = /^\{\w+\}$/.test(message)
  const escaped = message.replaceAll('|', '\\|').replaceAll('<', '\\<')
  const said = isComposed ? '*differs*' : escaped.replace(/\{(\w+)\}/g, '\\<$1>')
  return `| ${shownStatus(refusal)} | \`${detail ?? code}\` | ${said} | [${path.basename(file)}](../${file}) |`
}

function shownStatus({ status }: AnyRefusal) {
  return status ?? 'import'
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)].sort((a, b) => (String(a) < String(b) ? -1 : 1))
}
