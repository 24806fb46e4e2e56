// Loaded into the API and the worker of `npm run dev`: when that is killed and cannot stop them, they stop by themselves.
const MAX_STOP_MS = 1_500

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), MAX_STOP_MS).unref()
  process.kill(process.pid, 'SIGTERM')
})
process.channel?.unref()
