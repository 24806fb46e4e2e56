// Runs the Stripe twin for development: node twins/stripe/main.ts [port] [webhook address]
import { startStripeTwin } from './server.ts'

const { env } = process
const twin = await startStripeTwin({
  port: Number(process.argv[2] ?? env.STRIPE_TWIN_PORT ?? 4242),
  secretKey: env.STRIPE_SECRET_KEY ?? 'sk_test_twin',
  webhookSecret: env.STRIPE_WEBHOOK_SECRET ?? 'whsec_twin',
  webhookUrl: process.argv[3] ?? env.STRIPE_TWIN_WEBHOOK_URL ?? 'http://127.0.0.1:3000/v1/payments/webhooks/stripe',
  retryMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000], // outlasts a restart of the server
})
console.log(`Stripe twin at ${twin.url}, webhook secret ${env.STRIPE_WEBHOOK_SECRET ?? 'whsec_twin'}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void twin.close())
