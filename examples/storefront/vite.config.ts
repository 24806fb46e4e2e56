import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { defineConfig, type Plugin } from 'vite'

/** Written by `npm run dev` of the service; the environment wins. */
const DEV_ENV = path.resolve(import.meta.dirname, '../../.kontor/dev.env')

export default defineConfig(() => {
  const written = existsSync(DEV_ENV) ? parseEnv(readFileSync(DEV_ENV, 'utf8')) : {}
  const env = { ...written, ...process.env }
  const settings = {
    baseUrl: env.KONTOR_URL ?? 'http://127.0.0.1:3000',
    businessId: env.KONTOR_BUSINESS_ID ?? '',
  }
  return {
    define: { KONTOR_SETTINGS: JSON.stringify(settings) },
    // The SDK is taken as it is written, so that there is nothing to build first.
    resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
    oxc: { jsx: { runtime: 'automatic' as const, importSource: 'preact' } },
    server: { host: '127.0.0.1', port: 5173, strictPort: true },
    plugins: [followService(), contentSecurityPolicy(settings.baseUrl)],
  }
})

/** The business may be made after this server was started. */
const followService = (): Plugin => ({
  name: 'follow-service',
  configureServer(server) {
    server.watcher.add(DEV_ENV)
    const restart = (file: string) => {
      if (path.resolve(file) === DEV_ENV) void server.restart()
    }
    server.watcher.on('change', restart).on('add', restart)
  },
})

/** Only in what is built: the development server needs inline scripts. */
const contentSecurityPolicy = (baseUrl: string): Plugin => ({
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => {
    const content = [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      'img-src http: https: data:',
      `connect-src ${new URL(baseUrl).origin}`,
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; ')
    return [{ tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content }, injectTo: 'head-prepend' }]
  },
})
