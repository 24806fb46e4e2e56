import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { encodingsOf } from '#platform/http/encodings.ts'

export const DASHBOARD_FOLDER = path.join(import.meta.dirname, '../../packages/dashboard/dist')

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

const HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

const policyOf = ({ uploads, files }: Origins) =>
  [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data: https:", ...files].join(' '),
    ["connect-src 'self'", ...uploads].join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

const DEV_LOGIN = '<meta name="kontor-dev-login" content="on">'

/** Mails lead to these. Where nothing is built there are still the plain ones of the same names. */
const PLAIN_PAGE = /^\/admin(\/(?:confirm|reset-password|invitation)(?:\?.*)?)$/

const IMMUTABLE = 'public, max-age=31536000, immutable'
/** `assets/orders-B7xK2qPz.js`: the name changes with the content. */
const isHashed = (name: string) => /^assets\/.+-[\w-]{8,}\.\w+$/.test(name)

type File = { type: string; etag: string; bytes: Buffer; br: Buffer | undefined; gzip: Buffer | undefined }
type Files = ReadonlyMap<string, File>

type Origins = { uploads: readonly string[]; files: readonly string[] }

export type DashboardOptions = {
  folder: string
  /** Looks for a newer build whenever a page is asked for. */
  isDevelopment: boolean
  /** Tells the page that it may take the account of `npm run dev` from its address. Never where others come. */
  hasDevLogin?: boolean
  /** Those of the store that the page talks to. */
  origins?: Origins
}

/**
 * The dashboard at `/admin`: what its build made, read into memory once. Whatever is not a file below `/admin/` is a
 * page of the dashboard, which finds its way by the address. Files are found by name in a map, so no path leads
 * elsewhere.
 */
export async function dashboardRoutes(app: FastifyInstance, options: DashboardOptions) {
  const { folder, isDevelopment, hasDevLogin = false, origins = { uploads: [], files: [] } } = options
  const headers = { ...HEADERS, 'content-security-policy': policyOf(origins) }
  let made = timeOf(folder)
  let files = readFiles(folder, hasDevLogin)
  const config = { access: 'public', business: 'none' } as const

  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers(headers).removeHeader('access-control-allow-origin')
  })

  const answerPage = (request: FastifyRequest, reply: FastifyReply) => {
    if (isDevelopment && timeOf(folder) !== made) {
      made = timeOf(folder)
      files = readFiles(folder, hasDevLogin)
    }
    const index = files.get('index.html')
    if (index) return send(request, reply, index, 'no-cache')
    const plain = PLAIN_PAGE.exec(request.url)?.[1]
    return plain ? reply.redirect(plain, 302) : explain(reply)
  }

  app.get('/admin', { config }, answerPage)
  app.get('/admin/*', { config }, (request, reply) => {
    const name = (request.params as { '*': string })['*']
    const file = name === 'index.html' ? undefined : files.get(name)
    if (file) return send(request, reply, file, isHashed(name) ? IMMUTABLE : 'public, no-cache')
    // A page that was opened before the last release asks for a part that is gone: it must notice.
    if (name.startsWith('assets/') && files.size > 0) return reply.callNotFound()
    return answerPage(request, reply)
  })
}

/** When it was built; undefined if it was not. */
const timeOf = (folder: string) => statSync(path.join(folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs

function readFiles(folder: string, hasDevLogin: boolean): Files {
  const read = (name: string) => readFileSync(path.join(folder, name))
  const found = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  const names = new Set(
    found.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/')),
  )
  const files = [...names]
    .filter((name) => !/\.(br|gz)$/.test(name))
    .map((name): [string, File] => {
      const bytes = read(name)
      const print = createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
      const file = {
        type: TYPES[path.extname(name)] ?? 'application/octet-stream',
        etag: `W/"${print}"`, // weak: the same for every encoding
        bytes,
        br: names.has(`${name}.br`) ? read(`${name}.br`) : undefined,
        gzip: names.has(`${name}.gz`) ? read(`${name}.gz`) : undefined,
      }
      return [name, file]
    })
  const all = new Map(files)
  const index = all.get('index.html')
  if (index && hasDevLogin) all.set('index.html', marked(index))
  return all
}

/** Not compressed: that was done to the page without the mark. */
function marked(index: File): File {
  const bytes = Buffer.from(index.bytes.toString().replace('<head>', `<head>${DEV_LOGIN}`))
  return { ...index, bytes, etag: index.etag.replace('"', '"dev-'), br: undefined, gzip: undefined }
}

function send(request: FastifyRequest, reply: FastifyReply, file: File, cacheControl: string): FastifyReply {
  void reply.headers({
    'content-type': file.type,
    'cache-control': cacheControl,
    etag: file.etag,
    vary: 'Accept-Encoding',
  })
  if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
  const encoding = encodingsOf(request.headers['accept-encoding']).find((name) => file[name])
  if (encoding) void reply.header('content-encoding', encoding)
  return reply.send((encoding && file[encoding]) ?? file.bytes)
}

const explain = (reply: FastifyReply) =>
  reply.code(404).header('content-type', 'text/html; charset=utf-8').header('cache-control', 'no-store').send(NOT_BUILT)

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The dashboard is not built yet</title>
<h1>The dashboard is not built yet</h1>
<p>Run <code>npm run build -w @kontor/dashboard</code> in the folder of Kontor, then start the API again.</p>
</html>
`
