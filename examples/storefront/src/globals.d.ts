/** Where the service is and whose shop this is; put in by vite.config.ts. */
declare const KONTOR_SETTINGS: { baseUrl: string; businessId: string }
