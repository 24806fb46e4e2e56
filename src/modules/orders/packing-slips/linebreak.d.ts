/** Where a text may be broken into lines (UAX 14). The package has no types of its own. */
declare module 'linebreak' {
  export default class LineBreaker {
    constructor(text: string)
    nextBreak(): { position: number; required: boolean } | null
  }
}
