import { query } from '../api/query.ts'

export const treeQuery = (businessId: string) => query(businessId, 'getCategoryTree')

export const categoryQuery = (businessId: string, id: string) => query(businessId, 'getCategory', { path: { id } })
