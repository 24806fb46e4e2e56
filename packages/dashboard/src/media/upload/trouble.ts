/** What ends an upload on this side of the line; `use-upload-words.ts` has the words. */
export type TroubleCode =
  /** The file was moved, deleted or changed since it was chosen. */
  | 'UNREADABLE'
  | 'TOO_LARGE'
  | 'EMPTY'
  /** The service answers, its store does not take anything from this page. */
  | 'STORE_UNREACHABLE'
  | 'STORE_REFUSED'

export class Trouble extends Error {
  readonly code: TroubleCode

  constructor(code: TroubleCode) {
    super(code)
    this.code = code
  }
}
