/** What a payment is for, as the provider is told: `order:<id>`. */
export const subjectOf = (orderId: string) => `order:${orderId}`
export const orderIdOf = (subject: string) =>
  subject.startsWith('order:') ? subject.slice('order:'.length) : undefined
