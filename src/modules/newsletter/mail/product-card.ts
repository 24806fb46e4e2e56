import type { Media } from '#vocabulary/media.ts'
import { type AttributeReaders, styleOf } from './rich-text.ts'
import type { ShownProduct } from './shown-products.ts'
import { escapeHtml } from './template.ts'

const WIDTH = 160

/** A product in a letter: picture, name and price, the whole of it a link. `price` stands for the reader's own. */
export function writeProduct(
  { name, url, picture }: ShownProduct,
  price: string,
  { readLink }: Pick<AttributeReaders, 'readLink'>,
): string {
  const link = (inside: string, style: string) =>
    url === null ? inside : `<a href="${readLink(url)}" style="${style}">${inside}</a>`
  const cell = 'vertical-align:top;'
  const shown = picture && writePicture(picture, name)
  return [
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px;"><tr>',
    shown && `<td width="${WIDTH}" style="width:${WIDTH}px;padding:0 20px 0 0;${cell}">${link(shown, '')}</td>`,
    `<td style="${cell}"><p${styleOf('p')}>`,
    link(`<strong>${escapeHtml(name)}</strong>`, 'color:inherit;text-decoration:underline;'),
    `<br>${price}</p></td></tr></table>`,
  ].join('')
}

function writePicture({ url, width, height }: Media, name: string): string {
  const size = width && height ? ` height="${Math.max(1, Math.round((height * WIDTH) / width))}"` : ''
  return `<img src="${escapeHtml(url)}" alt="${escapeHtml(name)}" width="${WIDTH}"${size}${styleOf('img')}>`
}
