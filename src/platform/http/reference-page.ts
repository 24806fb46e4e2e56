import reference from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { type Asset, createAsset } from './asset.ts'

/** The introduction for first-time readers. In Markdown; it is part of the OpenAPI document. */
export const INTRODUCTION = `A headless service for many businesses: catalog, stock, checkout and orders; accounts; content and newsletters.

## Get a token

Almost every call needs one, as \`Authorization: Bearer …\`.

- **A shop front** begins as a guest: \`POST /v1/users/login\` with \`{"provider": "GUEST"}\` answers an \`accessToken\` and a \`refreshToken\`. A guest can browse and buy.
- **A person** logs in with \`{"provider": "EMAIL", "email": "…", "password": "…"}\`; the guest’s orders become theirs.
- **A program** uses an API key, also as \`X-API-Key\`. Operators make one with \`npm run cli -- keys create --user ada@example.com\`, everybody else with \`POST /v1/users/keys\`. Never put one into a page.

## Conventions

Times are Unix seconds, money is in minor units. Lists answer \`{items, cursor}\`. Every error has the same body, and its code is stable.

## Guides and SDK

They are part of the source of this service: \`docs/guides/first-sale.md\` leads from a business to the first sale, \`docs/guides/storefront-in-an-hour.md\` from an empty file to a shop front, \`docs/errors.md\` lists every error. \`packages/sdk\` is the client in TypeScript. This document itself is at [/openapi.json](/openapi.json), for clients in other languages.
`

const TITLE = 'Kontor API'
const SCRIPT_SECONDS = 3_600
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#12343b"/><path d="M10 7v18M22 7 11 16l11 9" fill="none" stroke="#f2c14e" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>'

/** Renders the little Markdown that the introduction uses. */
function toHtml(markdown: string): string {
  const inline = (text: string) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replace(/`([^`]+)`/g, '<code>$1</code>')
      .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
      .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>')
  return markdown
    .split('\n\n')
    .map((part) => {
      if (part.startsWith('## ')) return `<h2>${inline(part.slice(3))}</h2>`
      if (!part.startsWith('- ')) return `<p>${inline(part)}</p>`
      return `<ul>${part
        .trim()
        .split('\n')
        .map((line) => `<li>${inline(line.slice(2))}</li>`)
        .join('')}</ul>`
    })
    .join('\n')
}

// The reference's script takes seconds to render: until then, and without JavaScript, people read the introduction. It
// stands beside the script's root element: content inside would be taken for a rendered page.
const FIRST_SIGHT = `<main id="first-sight" style="font:16px/1.6 system-ui,sans-serif;max-width:44rem;margin:0 auto;padding:2rem 1.25rem">
      <h1 style="font-size:1.6rem;margin:0 0 .5rem">${TITLE}</h1>
      ${toHtml(INTRODUCTION)}
      <noscript><p>The list of all calls needs JavaScript. The same as a file: <a href="/openapi.json">openapi.json</a>.</p></noscript>
    </main>
    <div id="app"></div>
    <script>
      new MutationObserver((_changes, observer) => {
        observer.disconnect()
        document.getElementById('first-sight').remove()
      }).observe(document.getElementById('app'), { childList: true })
    </script>`
const HEAD = `<meta name="color-scheme" content="light dark" />
    <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
    <link rel="preload" href="/openapi.json" as="fetch" crossorigin="anonymous" />
  </head>`

/**
 * The reference at `/docs`. Its page loads its own script and inlines its styles; the content security policy allows
 * that only here.
 */
export async function showReference(app: FastifyInstance): Promise<void> {
  const sendIcon = createAsset(ICON, 'image/svg+xml', 86_400)
  for (const url of ['/favicon.svg', '/favicon.ico'])
    app.get(url, { config: { access: 'public', business: 'none' } }, (request, reply) => sendIcon(request, reply))

  await app.register(async (docs) => {
    let sendScript: Asset | undefined
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public', business: 'none' }
    })
    docs.addHook('onSend', async (request, reply, payload) => {
      void reply.header(
        'content-security-policy',
        "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'",
      )
      if (typeof payload !== 'string' || request.method !== 'GET') return payload
      if (request.url.startsWith('/docs/js/')) {
        sendScript ??= createAsset(payload, 'text/javascript; charset=utf-8', SCRIPT_SECONDS)
        return sendScript(request, reply)
      }
      return payload
        .replace('<html>', '<html lang="en">')
        .replace('</head>', HEAD)
        .replace('<div id="app"></div>', FIRST_SIGHT)
    })
    await docs.register(reference, {
      routePrefix: '/docs',
      configuration: {
        title: TITLE,
        pageTitle: TITLE,
        url: '/openapi.json',
        favicon: '/favicon.svg',
        authentication: { preferredSecurityScheme: 'accessToken' },
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        hideClientButton: true,
        showDeveloperTools: 'never',
        mcp: { disabled: true },
      },
    })
  })
}
