import '../shop.css'
import type { ReactNode } from 'react'
import type { Params } from '../../lib/page.ts'
import { MARKETS } from '../../lib/settings.ts'

/** Pages wait for their data and come whole; it is nearly always in the cache. */
export const instant = false

/** Next wants to know some. Whatever else the service says is a language of this shop is one, too. */
export const generateStaticParams = () => Object.keys(MARKETS).map((locale) => ({ locale }))

export default async function Layout({ params, children }: Params & { children: ReactNode }) {
  const { locale } = await params
  return (
    <html lang={locale}>
      <body>{children}</body>
    </html>
  )
}
