import { startS3Twin } from './server.ts'

const twin = await startS3Twin({ port: Number(process.argv[2] ?? 4245) })
console.log(
  `S3 on ${twin.url}\n${Object.entries(twin.env)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}`,
)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void twin.close().then(() => process.exit(0)))
