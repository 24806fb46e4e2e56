import type { Picture } from './ladder.ts'
import type { Problem } from './problems.ts'

/** Over all frames. */
export const MAX_PIXELS = 50_000_000
/** WebP and AVIF cannot be longer than 16,383. */
export const MAX_SIDE = 16_000

/** `out`: the folder that the renditions are written to, under the names of the ladder. */
export type RenderTask = { file: string; out: string; mimeType: string; make: 'webp' | 'avif' }
export type Rendered = { picture: Picture; placeholder: string }
export type RenderAnswer = Rendered | { problem: Problem }
