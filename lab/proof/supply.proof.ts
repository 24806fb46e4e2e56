import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { makeBom } from '../../scripts/sbom.ts'
import { inspectHere } from '../../scripts/supply.ts'
import type { Figure, Run } from '../report/figures.ts'

export const title = 'What comes from others: licences, install scripts, pinned bytes, known holes'

const TIMEOUT_MS = 60_000

export async function run({ note }: Run) {
  const { packages, findings } = inspectHere()
  for (const finding of findings) note(finding)
  const production = packages.filter(({ isProduction }) => isProduction)
  const licences = new Map<string, number>()
  for (const { license } of production) licences.set(license, (licences.get(license) ?? 0) + 1)
  const none = (name: string, value: number) => ({ name, value, unit: '', goal: '0', ok: value === 0 })
  return {
    figures: [
      { name: 'packages', value: packages.length, unit: '' },
      { name: 'of these in production', value: production.length, unit: '' },
      none(
        'without integrity, from a named host, of an unknown licence, or with an unnamed install script',
        findings.length,
      ),
      ...audit(note),
      billOfMaterials(),
    ],
    tables: [
      {
        title: 'Licences in production',
        columns: ['licence', 'packages'],
        rows: [...licences].sort(([, a], [, b]) => b - a).map(([license, count]) => [license, String(count)]),
      },
    ],
  }
}

function npm(...words: string[]): { stdout: string } {
  const { stdout } = spawnSync('npm', words, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return { stdout }
}

type Audit = { statusCode?: number; metadata?: { vulnerabilities: Record<string, number> } }

/** A registry that does not answer this question has not said that there are none. */
function audit(note: Run['note']): Figure[] {
  const { stdout } = npm('audit', '--omit=dev', '--json')
  const { metadata, statusCode } = (parse(stdout) ?? {}) as Audit
  if (!metadata) {
    const why = `the registry cannot be asked for known holes from here (${statusCode ?? 'no answer'})`
    note(`npm audit: ${why}`)
    return [{ name: 'known holes in production, high or critical', value: null, unit: '', note: why }]
  }
  const { high = 0, critical = 0, moderate = 0, low = 0 } = metadata.vulnerabilities
  const value = high + critical
  return [
    { name: 'known holes in production, high or critical', value, unit: '', goal: '0', ok: value === 0 },
    { name: 'known holes in production, lesser', value: moderate + low, unit: '' },
  ]
}

function billOfMaterials(): Figure {
  const bom = makeBom()
  mkdirSync('.results', { recursive: true })
  writeFileSync('.results/sbom.json', `${JSON.stringify(bom, null, 1)}\n`)
  const name = 'components in the bill of materials (CycloneDX)'
  return { name, value: bom.components.length, unit: '', note: 'kept in .results/sbom.json' }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
