// Runs the twin of a language model for development: node twins/model/main.ts [port]
import { startModelTwin } from './server.ts'

const { env } = process
const apiKey = env.AI_API_KEY ?? 'twin'
const twin = await startModelTwin({ port: Number(process.argv[2] ?? env.MODEL_TWIN_PORT ?? 4244), apiKey })
console.log(`Model twin at ${twin.url}, AI_API_KEY=${apiKey}, AI_MODEL=anything`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void twin.close())
