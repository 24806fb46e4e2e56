import { runParts } from '../scripts/measure.ts'

await runParts('proof')
