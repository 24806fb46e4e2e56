// Supply chain check: licences, install scripts, and whether the lockfile pins every byte. `--check` reports problems;
// without it, the production dependencies are listed.
import { readFileSync } from 'node:fs'

/**
 * Permissive licences: usable in a closed product without publishing our own source. A person has to decide on any
 * other.
 */
const ALLOWED: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]

const LIBVIPS = 'LGPL-3.0: a shared library that we load as it comes and do not change; whoever ships it may replace it'
const PLATFORMS = 'darwin-arm64 darwin-x64 linux-arm linux-arm64 linux-ppc64 linux-riscv64 linux-s390x linux-x64'
const OTHER_LIBC = 'linuxmusl-arm64 linuxmusl-x64'

/** Read by a person, in exactly this version, because the manifest names no licence that we know. */
export const READ: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    `${PLATFORMS} ${OTHER_LIBC}`.split(' ').map((name) => [`@img/sharp-libvips-${name}@1.3.4`, LIBVIPS]),
  ),
  ...Object.fromEntries(
    'wasm32 win32-arm64 win32-ia32 win32-x64'.split(' ').map((name) => [`@img/sharp-${name}@0.35.5`, LIBVIPS]),
  ),
  'dejavu-fonts-ttf@2.37.3':
    'Bitstream Vera and Arev: free to ship with software, not to be sold by itself or renamed Vera',
  'png-js@2.0.0': 'MIT, by its LICENSE file',
}

type Locked = {
  version?: string
  license?: string
  integrity?: string
  resolved?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  hasInstallScript?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}
export type Lockfile = { lockfileVersion: number; packages: Record<string, Locked> }
export type Manifest = { allowScripts?: Record<string, boolean> }
export type Package = { name: string; version: string; license: string; isProduction: boolean }
export type Supply = { packages: Package[]; findings: string[] }

/** `MIT OR CC0-1.0`: one of them is enough. `MIT AND ISC`: all of them count. */
export const isAllowed = (license: string): boolean =>
  license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => ALLOWED.includes(one.trim())))

const MODULES = 'node_modules/'

export function inspect({ lockfileVersion, packages }: Lockfile, { allowScripts = {} }: Manifest): Supply {
  const findings = lockfileVersion >= 3 ? [] : [`The lockfile is of version ${lockfileVersion}, not 3 or later.`]
  const listed: Package[] = []
  const withScripts = new Set<string>()
  for (const [path, locked] of Object.entries(packages)) {
    if (!path.includes(MODULES) || locked.link) continue // our own packages
    const name = path.slice(path.lastIndexOf(MODULES) + MODULES.length)
    const { version = '', license = 'none', integrity, resolved, hasInstallScript = false } = locked
    const isProduction = !locked.dev
    const wrong = (what: string) => void findings.push(`${name}@${version} ${what}`)
    if (!integrity?.startsWith('sha512-')) wrong('has no sha512 integrity in the lockfile.')
    // Each machine's settings name the registry: a URL here would apply to everybody.
    if (resolved !== undefined) wrong(`is to be loaded from ${resolved}. Set omit-lockfile-registry-resolved.`)
    if (isProduction && !isAllowed(license) && !READ[`${name}@${version}`])
      wrong(`has the licence ${license}, which nobody has looked at.`)
    if (hasInstallScript) withScripts.add(name)
    // npm does not run a script that is not allowed; optional packages for other platforms may have one.
    if (hasInstallScript && !allowScripts[name] && !locked.optional)
      wrong('has an install script, which allowScripts in package.json does not name.')
    listed.push({ name, version, license, isProduction })
  }
  for (const name of Object.keys(allowScripts)) {
    if (!withScripts.has(name)) findings.push(`allowScripts names ${name}, which has no install script.`)
  }
  return { packages: listed, findings }
}

/** Packages that the service itself has when it is installed without those of development: `name@version`. */
export function listInstalled({ packages }: Lockfile): Set<string> {
  const found = new Map<string, string>()
  const add = (from: string) => {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = packages[from] ?? {}
    const wanted = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    for (const name of wanted.filter((each) => !peerDependenciesMeta[each]?.optional)) {
      const path = resolve(from, name)
      if (path === undefined || found.has(path)) continue
      found.set(path, `${name}@${packages[path]?.version ?? ''}`)
      add(path)
    }
  }
  /** As Node does it: beside the one that wants it, or further up. */
  const resolve = (from: string, name: string): string | undefined => {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${MODULES}`)))) {
      const path = `${folder && `${folder}/`}${MODULES}${name}`
      if (packages[path]) return path
      if (folder === '') return undefined
      if (!folder.includes(`/${MODULES}`)) folder = ''
    }
  }
  add('')
  return new Set(found.values())
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
export const listInstalledHere = () => listInstalled(read('package-lock.json') as Lockfile)
export const inspectHere = () => inspect(read('package-lock.json') as Lockfile, read('package.json') as Manifest)

if (import.meta.main) {
  const { packages, findings } = inspectHere()
  const production = packages.filter(({ isProduction }) => isProduction)
  if (!process.argv.includes('--check')) {
    for (const { name, version, license } of production) console.log(`${name}@${version}  ${license}`)
  }
  for (const finding of findings) console.error(finding)
  console.log(
    `${packages.length} packages, ${production.length} of them in production: ${findings.length || 'nothing'} wrong`,
  )
  if (findings.length > 0) process.exitCode = 1
}
