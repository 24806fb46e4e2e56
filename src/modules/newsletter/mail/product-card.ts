import type { Media } from '#vocabulary/media.ts'
import { type AttributeReaders, styleOf } from './rich-text.ts'
import type { ShownProduct } from './shown-products.ts'
import { escapeHtml } from './template.ts'

const WIDTH = 160

/** The name beside the picture leads to the same page: nobody has to hear of it, or read its address, twice. */
const SAME = 'class="same" tabindex="-1" aria-hidden="true"'

/** A product in a letter: picture, name and price, the whole of it a link. `price` stands for the reader's own. */
export function writeProduct(
  { name, url, picture }: ShownProduct,
  price: string,
  { readLink }: Pick<AttributeReaders, 'readLink'>,
): string {
  const link = (inside: string, attributes: string) =>
    url === null ? inside : `<a href="${readLink(url)}" ${attributes}>${inside}</a>`
  const cell = 'vertical-align:top;'
  const shown = picture && writePicture(picture, name)
  return [
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px;"><tr>',
    shown &&
      `<td class="goods" width="${WIDTH}" style="width:${WIDTH}px;padding:0 20px 0 0;${cell}">${link(shown, SAME)}</td>`,
    `<td style="${cell}"><p${styleOf('p')}>`,
    link(`<strong>${escapeHtml(name)}</strong>`, 'style="color:inherit;text-decoration:underline;"'),
    `<br>${price}</p></td></tr></table>`,
  ].join('')
}

function writePicture({ url, width, height }: Media, name: string): string {
  const size = width && height ? ` height="${Math.max(1, Math.round((height * WIDTH) / width))}"` : ''
  return `<img src="${escapeHtml(url)}" alt="${escapeHtml(name)}" width="${WIDTH}"${size}${styleOf('img')}>`
}
