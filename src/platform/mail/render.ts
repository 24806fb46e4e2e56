import { htmlToText } from 'html-to-text'
import { Liquid } from 'liquidjs'

export type Rendered = { subject: string; html: string; text: string }

/** Templates are in the `directory` of the module that sends them; all mails share one layout. */
export function createRenderer(directory: string) {
  const engine = new Liquid({
    root: [directory, import.meta.dirname],
    layouts: import.meta.dirname,
    partials: [directory, import.meta.dirname],
    extname: '.liquid',
    outputEscape: 'escape',
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    cache: true,
  })
  return async (name: string, subject: string, values: Record<string, unknown>): Promise<Rendered> => {
    const html = (await engine.renderFile(name, { lang: 'en', ...values, subject })) as string
    return { subject, html, text: toText(html) }
  }
}

const toText = (html: string) =>
  htmlToText(html, {
    wordwrap: false, // a wrapped link is a broken link
    selectors: [
      { selector: 'head', format: 'skip' },
      { selector: 'h1', options: { uppercase: false } },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['', ''] } },
      { selector: 'img', format: 'skip' },
      // Other tables are layout.
      { selector: 'table.rows', format: 'dataTable', options: { uppercaseHeaderCells: false } },
    ],
  })
