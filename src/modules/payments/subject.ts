/** The kinds of subjects that can be paid for, each with its own `Payable`. */
export type PaymentKind = 'order' | 'newsletter'

/** The subject of a payment as stored and as sent to providers: `order:<id>`. */
export const subjectOf = (kind: PaymentKind, id: string) => `${kind}:${id}`

export function readSubject(subject: string): { kind: string; id: string } {
  const colon = subject.indexOf(':')
  return { kind: subject.slice(0, colon), id: subject.slice(colon + 1) }
}
