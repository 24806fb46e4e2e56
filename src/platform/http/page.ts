import type { FastifyReply } from 'fastify'
import { Liquid } from 'liquidjs'

const engine = new Liquid({ root: import.meta.dirname, extname: '.liquid', outputEscape: 'escape', cache: true })

export type Page = {
  title: string
  text?: string
  problem?: string
  action?: string
  token?: string
  label?: string
  password?: boolean
  code?: string
  /** A second button of the same form, which also sends a field of this name. */
  other?: { name: string; label: string }
}

/** A minimal page for people whose storefront has none. Works without JavaScript. */
export async function showPage(reply: FastifyReply, page: Page, status = 200): Promise<string> {
  void reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
  return (await engine.renderFile('page', page)) as string
}
