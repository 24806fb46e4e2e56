// Runs the identity provider alone: node twins/identity/main.ts [port] [callback address]
import { startIdentityProvider } from './identity.ts'

const port = Number(process.argv[2] ?? 4243)
const callbackUrl = process.argv[3] ?? 'http://localhost:3000/v1/users/login/callback'
const identity = await startIdentityProvider(port, [callbackUrl])
console.log(
  Object.entries(identity.env)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n'),
)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void identity.close())
