import type { MetadataRoute } from 'next'
import { connection } from 'next/server'
import { shopUrl } from '../lib/settings.ts'

export default async function robots(): Promise<MetadataRoute.Robots> {
  await connection() // the address is that of the running shop, not of the build
  return { rules: { userAgent: '*', disallow: ['/*/cart', '/*/order'] }, sitemap: `${shopUrl}/sitemap.xml` }
}
