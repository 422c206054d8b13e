// write_image: one pixel. Coordinates outside of the image are undefined; here such a write does nothing.
//! uses: image_pixel

FN void NAME(weft_image handle, COORDINATES at, RETURNED given) {
    weft_description image = DESCRIPTION(handle);
    const int x = X, y = Y, z = ARRAY ? LAST : Z;
    RESULT4 value = (RESULT4)(given);
    int inside = weft_is_inside(x, image->width);
#if DIMENSIONS >= 2
    inside &= weft_is_inside(y, image->height);
#endif
#if DIMENSIONS == 3
    inside &= weft_is_inside(z, image->depth);
#elif ARRAY
    inside &= weft_is_inside(z, (int)image->layers);
#endif
    if (!inside)
        return;
#ifdef FORMAT_ORDER
    const int bytes = weft_pixel_bytes(FORMAT_ORDER, FORMAT_TYPE);
    PASTE(weft_store_, SUFFIX)(weft_pixel_address(image, x, y, z, bytes), FORMAT_ORDER, FORMAT_TYPE, value);
#else
    weft_place address = weft_pixel_address(image, x, y, z, image->pixel_bytes);
    PASTE(weft_store_any_, SUFFIX)(address, image->order, image->type, value);
#endif
}
