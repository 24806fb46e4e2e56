// The bill of materials: what of others is in production, with versions, hashes and licences, as CycloneDX. npm makes it from the lockfile;
// here it gets what npm cannot know, and loses what would differ from one machine to the next. `npm run sbom -- file` writes it there.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { listInstalledHere, READ } from './supply.ts'

type License = { license: { id: string } | { name: string } } | { expression: string }
export type Component = {
  'bom-ref': string
  name: string
  version: string
  purl: string
  licenses?: License[]
  properties?: { name: string; value: string }[]
  hashes?: { alg: string; content: string }[]
}
export type Bom = {
  bomFormat: string
  specVersion: string
  serialNumber: string
  metadata: { timestamp?: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const MAX_BYTES = 64 * 1024 * 1024

/**
 * Of all packages, then without those that only development needs: `npm sbom --omit=dev` leaves out whatever development needs as well,
 * such as the driver of the database.
 */
export function makeBom(): Bom {
  const words = ['sbom', '--workspaces=false', '--package-lock-only', '--sbom-format=cyclonedx']
  const text = execFileSync('npm', words, {
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_ENV: '' }, // in production npm omits by itself
  })
  const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string }
  return settle(JSON.parse(text) as Bom, name, listInstalledHere())
}

/** The same packages give the same bill, whoever makes it, where and when. */
export function settle(
  { metadata, components, dependencies, ...bom }: Bom,
  name: string,
  used: ReadonlySet<string>,
): Bom {
  const { timestamp: _, ...kept } = metadata
  const known = components.filter((each) => used.has(`${each.name}@${each.version}`)).map(withLicense)
  const refs = new Set([metadata.component['bom-ref'], ...known.map((each) => each['bom-ref'])])
  const print = createHash('sha256').update(JSON.stringify(known)).digest('hex')
  return {
    ...bom,
    serialNumber: `urn:uuid:${uuidOf(print)}`,
    // npm names it after its folder.
    metadata: { ...kept, component: { ...metadata.component, name } },
    components: known,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
  }
}

/** Of packages whose manifest names none, a person has read it. */
function withLicense({ properties = [], ...component }: Component): Component {
  const told = { ...component, properties: properties.filter(({ name }) => name !== 'cdx:npm:package:development') }
  const name = READ[`${component.name}@${component.version}`]
  return name && !component.licenses?.length ? { ...told, licenses: [{ license: { name } }] } : told
}

/** Of version 8: made of what the maker likes. */
const uuidOf = (hex: string) =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`

if (import.meta.main) {
  const [file] = process.argv.slice(2)
  const bom = makeBom()
  const text = `${JSON.stringify(bom, null, 1)}\n`
  if (file === undefined) process.stdout.write(text)
  else {
    writeFileSync(file, text)
    console.log(`${bom.components.length} components in ${file}`)
  }
}
