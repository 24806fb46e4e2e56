import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compress } from './vite/compress.ts'
import { lingui } from './vite/lingui.ts'

/** Written by `npm run dev` of the service; the environment wins. */
const DEV_ENV = path.resolve(import.meta.dirname, '../../.kontor/dev.env')

/** As strict as that of the service, so that a library which breaks it is noticed. */
const POLICY = "default-src 'self'; img-src 'self' data: https:; object-src 'none'; base-uri 'none'; form-action 'self'"

export default defineConfig(() => {
  const written = existsSync(DEV_ENV) ? parseEnv(readFileSync(DEV_ENV, 'utf8')) : {}
  const serviceUrl = process.env.KONTOR_URL ?? written.KONTOR_URL ?? 'http://127.0.0.1:3000'
  const service = { target: serviceUrl, changeOrigin: true }
  const proxy = {
    '/v1': service,
    '/demo': service,
    // Only pages of the service's own origin have a session there: this server answers for the page that it serves.
    '^/admin/session$': { ...service, headers: { origin: new URL(serviceUrl).origin } },
  }
  return {
    base: '/admin/',
    // The SDK is taken as it is written, so that there is nothing to build first.
    resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
    plugins: [lingui(), react(), tailwind(), compress()],
    build: {
      target: 'es2023',
      assetsInlineLimit: 0, // the policy of the page lets no data: addresses in
      chunkSizeWarningLimit: 1_000, // scripts/size.ts is the judge
      sourcemap: false,
      manifest: true,
      // What most screens share is one file: dozens of small ones cost more to name and to compress than they save.
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 8 }] } } },
    },
    server: { host: '127.0.0.1', port: 5174, strictPort: true, proxy },
    preview: { host: '127.0.0.1', proxy, headers: { 'content-security-policy': POLICY } },
  }
})
