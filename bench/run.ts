import { runParts } from '../scripts/measure.ts'

await runParts('bench')
