// Loaded into the API and the worker of `npm run dev`: they stop by themselves when it is killed and cannot stop them.
const MAX_STOP_MS = 1_500

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), MAX_STOP_MS).unref()
  process.kill(process.pid, 'SIGTERM')
})
process.channel?.unref()
