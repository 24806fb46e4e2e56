import sharp from 'sharp'

/** A picture with something to see in it: sky, sun, hills and a house, its colours by its number. No two are the same. */
export function drawPicture(number: number, width: number, height: number, format: 'jpeg' | 'png' | 'webp' = 'jpeg') {
  const hue = (number * 47) % 360
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 100 100" preserveAspectRatio="none">
    <linearGradient id="sky" x2="0" y2="1"><stop stop-color="hsl(${hue} 45% 78%)"/><stop offset="1" stop-color="hsl(${(hue + 40) % 360} 70% 90%)"/></linearGradient>
    ${format === 'png' ? '' : '<rect width="100" height="100" fill="url(#sky)"/>'}
    <ellipse cx="${20 + ((number * 13) % 60)}" cy="26" rx="8" ry="${(8 * width) / height}" fill="hsl(${(hue + 180) % 360} 75% 62%)"/>
    <path d="M0 70 Q25 ${45 + (number % 15)} 50 66 T100 58 V100 H0Z" fill="hsl(${hue} 30% 45%)"/>
    <path d="M0 84 Q30 70 60 82 T100 78 V100 H0Z" fill="hsl(${hue} 35% 28%)"/>
    <path d="M68 74 v-12 l6 -6 l6 6 v12Z" fill="hsl(${(hue + 200) % 360} 40% 92%)"/>
    <rect x="${number % 97}" y="98" width="1" height="1" fill="hsl(${number % 360} 90% 50%)"/>
  </svg>`
  return sharp(Buffer.from(drawing)).toFormat(format, { quality: 88 }).toBuffer()
}

/** One empty page. */
export const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\nxref\n0 4\n0000000000 65535 f \n' +
    '0000000009 00000 n \n0000000052 00000 n \n0000000101 00000 n \ntrailer<</Size 4/Root 1 0 R>>\nstartxref\n164\n%%EOF\n',
)
