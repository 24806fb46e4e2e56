import { readFileSync, writeFileSync } from 'node:fs'

/** Writes a generated file; with `--check`, only reports whether it is up to date. */
export function generate(file: string, text: string, command: string): void {
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text)
    console.log(`wrote ${file}`)
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is not what the source says. Run: ${command}`)
    process.exitCode = 1
  }
}
