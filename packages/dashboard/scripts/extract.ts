// npm run extract: writes what is to be translated into the German catalogue of each part. English stands in the code.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '..')
const CLI = path.resolve(ROOT, '../../node_modules/@lingui/cli/dist/lingui.js')

execFileSync(process.execPath, [CLI, 'extract', '--clean'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
let missing = 0
for (const file of globSync('src/*/locales/*.po', { cwd: ROOT })) {
  const name = path.join(ROOT, file)
  // The day on which it was made first says nothing, and differs on each branch.
  const text = readFileSync(name, 'utf8').replace(/^"POT-Creation-Date.*\n/m, '')
  if (!text.includes('\n\nmsgid') || file.endsWith('/en.po')) rmSync(name)
  else writeFileSync(name, text)
  const open = text.match(/\nmsgstr ""\n(?!")/g)?.length ?? 0
  if (file.endsWith('/de.po') && open > 0) console.log(`${file}: ${open} to translate`)
  missing += file.endsWith('/de.po') ? open : 0
}
console.log(missing === 0 ? 'German is complete.' : `${missing} to translate.`)
