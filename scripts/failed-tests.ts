// A reporter of node's test runner: the files in which something failed, a line each.
import type { TestEvent } from 'node:test/reporters'

export default async function* failedTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>()
  for await (const event of events) {
    if (event.type !== 'test:fail' || !event.data.file || files.has(event.data.file)) continue
    files.add(event.data.file)
    yield `${event.data.file}\n`
  }
}
