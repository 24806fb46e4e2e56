// SHA-256 of a file, off the page: 50 MB are read and counted without a key waiting for it.
addEventListener('message', ({ data }: MessageEvent<Blob>) => {
  void digest(data).then(
    (sha256) => postMessage({ sha256 }),
    () => postMessage({}),
  )
})

async function digest(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
