import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findSwift, INSTALL_SWIFT, openPrivateSwift } from '../../test/scenarios/private-swift.ts'
import { type Figure, none, type Run } from '../report/figures.ts'

export const title = 'Files in stores that speak S3: s3rver, and OpenStack Swift'

const CONTRACT = 'test/api/platform/storage-s3.test.ts'
const QUICK = ['uploads', 'stored-files']
const WHOLE = [...QUICK, 'pictures', 'hostile', 'files', 'shown-files', 'media-kills']

/** The tests of the store and of media, as they are, on each of them. */
export async function run({ quick, note }: Run) {
  const files = [CONTRACT, ...(quick ? QUICK : WHOLE).map((name) => `test/api/media/${name}.test.ts`)]
  const figures = await testOn('s3rver', files, {}, note)
  const version = findSwift()
  if (version === undefined) {
    const why = `OpenStack Swift is not installed: ${INSTALL_SWIFT}`
    note(why)
    return { figures: [...figures, { name: 'Swift: tests passed', value: null, unit: '', ok: false, note: why }] }
  }
  const swift = await openPrivateSwift()
  try {
    note(`OpenStack Swift ${version} on ${swift.url}`)
    const named = Object.fromEntries(Object.entries(swift.env).map(([name, value]) => [`TEST_${name}`, value]))
    return { figures: [...figures, ...(await testOn(`Swift ${version}`, files, named, note))] }
  } finally {
    await swift.close()
  }
}

async function testOn(
  store: string,
  files: string[],
  env: Record<string, string>,
  note: Run['note'],
): Promise<Figure[]> {
  const begun = performance.now()
  const child = spawn(
    process.execPath,
    ['--test', '--test-concurrency=1', '--test-timeout=180000', '--test-reporter=tap', ...files],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'test', DATABASE_POOL_SIZE: '4', TEST_MEDIA_STORE: 's3', ...env },
    },
  )
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  const count = (word: string) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  const [passed, failed] = [count('pass'), count('fail') + count('cancelled') + count('skipped')]
  for (const line of text.match(/^ *not ok .*$|^ *error: .*$/gm) ?? []) note(`${store}: ${line.trim()}`)
  if (code !== 0 && failed === 0) throw new Error(text.slice(-2_000))
  note(`${store}: ${passed} tests in ${((performance.now() - begun) / 1_000).toFixed(0)} s`)
  return [
    { name: `${store}: tests passed`, value: passed, unit: '', goal: '> 20', ok: passed > 20 },
    none(`${store}: tests failed or skipped`, failed),
  ]
}
