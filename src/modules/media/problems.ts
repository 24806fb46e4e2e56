/** Why an upload is REJECTED. */
export const PROBLEMS = [
  /** `complete` was called, and nothing had been uploaded. */
  'NOT_UPLOADED',
  'SIZE_DIFFERS',
  'HASH_DIFFERS',
  /** The bytes are of another type than was said, or of none that is known. */
  'TYPE_DIFFERS',
  /** A second file is hidden in it, such as an archive or a page. */
  'HIDDEN_CONTENT',
  /** A picture that cannot be read to its end. */
  'BROKEN',
  /** More than 50 megapixels over all frames. */
  'TOO_MANY_PIXELS',
  /** A side of more than 16,000 pixels. */
  'SIDE_TOO_LONG',
  'TOO_SLOW',
  /** Our fault, time and again. */
  'FAILED',
] as const
export type Problem = (typeof PROBLEMS)[number]

/** What a check throws: the file is at fault, and trying again would not help. */
export class Rejected extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem)
    this.problem = problem
  }
}
