import { redirect } from 'next/navigation'
import { connection } from 'next/server'
import { readShop } from '../lib/catalog.ts'

/** The shop in the language that the browser likes best. */
export async function GET(request: Request) {
  await connection()
  const { locales, defaultLocale } = await readShop()
  const liked =
    request.headers
      .get('accept-language')
      ?.split(',')
      .map((each) => each.trim().split(/[-;]/)[0]) ?? []
  redirect(`/${liked.find((language) => locales.includes(language ?? '')) ?? defaultLocale}`)
}
