// Writes docs/events.md from the event definitions. `--check` only reports whether the file is up to date.
import type { EventDefinition } from '#platform/events/define.ts'
import { topicOf } from '#platform/events/readers.ts'
import { EVENT_READERS, EVENTS } from '../src/apps/events.ts'
import { generate } from './generated.ts'

const code = (text: string) => `\`${text}\``

function row({ type, subject, note, data }: EventDefinition): string {
  const required: readonly string[] = data.required ?? []
  const fields = Object.keys(data.properties).map((name) => code(required.includes(name) ? name : `${name}?`))
  const readers = (EVENT_READERS[topicOf(type)] ?? ['ADMIN']).map(code)
  return `| ${[code(type), subject, fields.join(', ') || '–', readers.join(' or '), note || '–'].join(' | ')} |`
}

const text = `# Events

This page is made from the source by \`npm run events\`. How the feed is read is in
[api-design.md](api-design.md#paging), how others are told in [Webhooks](guides/webhooks.md). The shape of each event is in the
reference, as \`Event\`; in the SDK it is the union \`BusinessEvent\`. These are the shapes of version 1 (\`/v1\`).

\`data\` holds ids, figures and words of the service, never names, addresses or texts that people wrote: read the
\`subject\` for those. A field with \`?\` may be missing. New types and new fields may come at any time: pass over those
that you do not know.

\`ADMIN\` reads all of them.

| type | subject | \`data\` | for | when |
|---|---|---|---|---|
${EVENTS.toSorted((a, b) => (a.type < b.type ? -1 : 1))
  .map(row)
  .join('\n')}
`

generate('docs/events.md', text, 'npm run events')
