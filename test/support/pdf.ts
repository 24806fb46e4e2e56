import { inflateSync } from 'node:zlib'

type Objects = Map<string, { text: string; stream: string }>

/** The text on each page of a PDF that pdfkit has made, piece by piece as it was written. */
export function pagesOf(pdf: Buffer): { width: number; texts: string[] }[] {
  const objects = objectsOf(pdf)
  const fonts = new Map<string, Map<string, string>>()
  for (const { text } of objects.values())
    for (const [, name = '', id = ''] of text.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const [, unicode = ''] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id)?.text ?? '') ?? []
      fonts.set(name, lettersOf(objects.get(unicode)?.stream ?? ''))
    }
  return [...objects.values()]
    .filter(({ text }) => /\/Type \/Page\b/.test(text))
    .map(({ text }) => {
      const [, content = ''] = /\/Contents (\d+) 0 R/.exec(text) ?? []
      const [, width = ''] = /\/MediaBox \[0 0 ([\d.]+)/.exec(text) ?? []
      return { width: Number(width), texts: textsIn(objects.get(content)?.stream ?? '', fonts) }
    })
}

function objectsOf(pdf: Buffer): Objects {
  const objects: Objects = new Map()
  for (const match of pdf.toString('latin1').matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    const [, id = '', body = ''] = match
    const at = body.indexOf('stream\n')
    const bytes = Buffer.from(body.slice(at + 7, body.lastIndexOf('\nendstream')), 'latin1')
    const isDeflated = body.includes('/FlateDecode')
    const stream = at === -1 ? '' : (isDeflated ? inflateSync(bytes) : bytes).toString('latin1')
    objects.set(id, { text: at === -1 ? body : body.slice(0, at), stream })
  }
  return objects
}

/** What each glyph stands for. */
function lettersOf(map: string): Map<string, string> {
  const letters = new Map<string, string>()
  for (const [, from = '', list = ''] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/gi))
    for (const [index, [, hex = '']] of [...list.matchAll(/<([0-9a-f ]+)>/gi)].entries()) {
      const units = hex.match(/[0-9a-f]{4}/gi) ?? []
      const glyph = (Number.parseInt(from, 16) + index).toString(16).padStart(4, '0')
      letters.set(glyph, String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16))))
    }
  return letters
}

function textsIn(content: string, fonts: Map<string, Map<string, string>>): string[] {
  const texts: string[] = []
  let letters = new Map<string, string>()
  for (const [, font, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (font) letters = fonts.get(font) ?? new Map()
    else {
      const glyphs = [...(shown ?? '').matchAll(/<([0-9a-f]+)>/gi)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
      texts.push(glyphs.map((glyph) => letters.get(glyph.toLowerCase()) ?? '�').join(''))
    }
  }
  return texts
}
