// write_image: one pixel. Coordinates outside of the image are undefined; here such a write does nothing.
//! uses: image_pixel

FN void NAME(weft_image handle, COORDINATES at, RETURNED given) {
    weft_description image = DESCRIPTION(handle);
    int4 size = weft_image_size(image), position = POSITION;
    RESULT4 value = (RESULT4)(given);
#if ARRAY
    size.z = (int)image->layers;
    position.z = LAST;
#endif
    if (!weft_is_inside(position, size))
        return;
    position.y = DIMENSIONS >= 2 ? position.y : 0;
    position.z = DIMENSIONS == 3 || ARRAY ? position.z : 0;
#ifdef FORMAT_ORDER
    const int bytes = weft_pixel_bytes(FORMAT_ORDER, FORMAT_TYPE);
    PASTE(weft_store_, SUFFIX)(weft_pixel_address(image, position, bytes), FORMAT_ORDER, FORMAT_TYPE, value);
#else
    ulong address = weft_pixel_address(image, position, image->pixel_bytes);
    PASTE(weft_store_any_, SUFFIX)(address, image->order, image->type, value);
#endif
}
