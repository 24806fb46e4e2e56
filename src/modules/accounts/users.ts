import type { ControlDb } from '#platform/database/database.ts'

export const emailKey = (email: string) => email.trim().toLowerCase()

export const findUser = (db: ControlDb, id: string) =>
  db.selectFrom('accounts.users').select(['id', 'email', 'isGuest']).where('id', '=', id).executeTakeFirst()

export const findUserByEmail = (db: ControlDb, email: string) =>
  db.selectFrom('accounts.users').select(['id', 'email']).where('emailKey', '=', emailKey(email)).executeTakeFirst()
