import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Rule, readRules } from '#modules/checks/index.ts'

const MODULES = path.join(import.meta.dirname, '../modules')

/** The rules of every module: of `verify` over whole databases, and of the checks of one business. */
export const RULES: readonly Rule[] = globSync('*/invariants.sql', { cwd: MODULES })
  .sort()
  .flatMap((file) => readRules(readFileSync(path.join(MODULES, file), 'utf8')))
